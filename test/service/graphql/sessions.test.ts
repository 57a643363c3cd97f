import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { GraphqlService } from './service.js';

const LIST = '{ viewer { sessions { id current createdAt expiresAt ipAddress userAgent } } }';

describe('sessions over GraphQL', () => {
  let service: GraphqlService;

  beforeAll(async () => {
    service = await GraphqlService.start();
  });
  afterAll(() => service.stop());

  it('are listed, and can be ended one by one or all but the current one', async () => {
    const [here, phone, library] = [
      await service.signedIn('traveller@example.com'),
      await service.signedIn('traveller@example.com'),
      await service.signedIn('traveller@example.com'),
    ];
    const { viewer } = await here.data(LIST);
    expect(viewer.sessions).toHaveLength(3);
    expect(viewer.sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    expect(Object.keys(viewer.sessions[0])).not.toContain('token');

    const mine = (await phone.data(LIST)).viewer.sessions.find(({ current }: { current: boolean }) => current);
    expect(await here.data('mutation ($id: ID!) { endSession(id: $id) }', { id: mine.id })).toEqual({
      endSession: mine.id,
    });
    expect(await phone.data('{ viewer { id } }')).toEqual({ viewer: null });
    expect((await library.data('{ viewer { id } }')).viewer).toEqual({ id: here.accountId });

    expect(await here.data('mutation { endOtherSessions }')).toEqual({ endOtherSessions: 1 });
    expect(await library.data('{ viewer { id } }')).toEqual({ viewer: null });
    expect((await here.data(LIST)).viewer.sessions).toHaveLength(1);
  });

  it('of other users are neither listed nor ended', async () => {
    const one = await service.signedIn('one@example.com');
    const two = await service.signedIn('two@example.com');
    const id = (await two.data(LIST)).viewer.sessions[0].id;
    await one.data('mutation ($id: ID!) { endSession(id: $id) }', { id });
    await one.data('mutation ($id: ID!) { endSession(id: $id) }', { id: newId() });
    await one.data('mutation ($id: ID!) { endSession(id: $id) }', { id: 'no id' });
    await one.data('mutation { endOtherSessions }');
    expect((await two.data(LIST)).viewer.sessions).toHaveLength(1);
  });
});
