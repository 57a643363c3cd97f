import { expect, it } from 'vitest';

import { schemaText } from '../../../src/api/graphql/writeSchema.js';

it('schema.graphql matches the resolvers', async () => {
  await expect(schemaText()).toMatchFileSnapshot('../../../schema.graphql');
});
