import { afterAll, beforeAll, expect, it } from 'vitest';

import { toAppError } from '../../../src/errors.js';
import { openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

let service: RestService;
let key: string;

beforeAll(async () => {
  service = await startRestService();
  ({ key } = await openCustomer(service));
});

afterAll(() => service.stop());

it.each(['q', 'tag'])('a NUL in %s is refused, alone and between letters', async (name) => {
  for (const value of ['%00', 'a%00b', '%00a', '%20%00']) {
    const response = await fetch(`${service.url}/v1/video?${name}=${value}`, { headers: { 'x-service-key': key } });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
  }
});

it('a NUL that reaches the database is reported as the caller’s mistake', async () => {
  const statement = { name: 'test-nul', text: 'select $1::text' };
  const thrown: unknown = await service.db.sql.query(statement, ['a\0b']).catch((error: unknown) => error);

  expect(toAppError(thrown)).toMatchObject({ code: 'INVALID_INPUT', status: 400, wake: false });
});
