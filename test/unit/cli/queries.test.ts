import { readFile } from 'node:fs/promises';

import { buildSchema, parse, validate } from 'graphql';
import { expect, it } from 'vitest';

import { BIN, RESTORE } from '../../../src/cli/owner/bin.js';
import { EVENT_ADDED, EVENTS } from '../../../src/cli/owner/events.js';
import { EXPLAIN } from '../../../src/cli/owner/explain.js';
import {
  CREATE_TEST_ENDPOINT,
  CREATE_TEST_KEY,
  END_DISPUTE,
  MOVE_CLOCK,
  SIMULATE_DISPUTE,
  TEST_WALLET,
} from '../../../src/cli/owner/fault.js';
import { CREATE_TOKEN, REVOKE_TOKEN } from '../../../src/cli/owner/login.js';
import { KEYS, STATEMENT, WALLET } from '../../../src/cli/owner/money.js';
import { PREVIEW_TOKEN, VIDEO, VIDEOS } from '../../../src/cli/owner/videos.js';

it('the command line queries only fields of the schema', async () => {
  const schema = buildSchema(await readFile('schema.graphql', 'utf8'));
  for (const document of [
    VIDEOS,
    BIN,
    RESTORE,
    VIDEO,
    PREVIEW_TOKEN,
    WALLET,
    STATEMENT,
    KEYS,
    CREATE_TOKEN,
    REVOKE_TOKEN,
    EVENTS,
    EXPLAIN,
    EVENT_ADDED,
    CREATE_TEST_KEY,
    CREATE_TEST_ENDPOINT,
    SIMULATE_DISPUTE,
    END_DISPUTE,
    MOVE_CLOCK,
    TEST_WALLET,
  ]) {
    expect(validate(schema, parse(document))).toEqual([]);
  }
});
