import { expect, it } from 'vitest';

import { schemaText } from '../../../src/api/graphql/writeSchema.js';

it('schema.graphql is what the resolvers say', async () => {
  await expect(schemaText()).toMatchFileSnapshot('../../../schema.graphql');
});
