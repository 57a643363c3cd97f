import 'reflect-metadata';

import { loadConfig } from './src/config/config.js';
import { ormOptions } from './src/db/orm.js';

/** For the MikroORM command line: the same options that the service runs with, under the migration role. */
const config = loadConfig(process.env);
export default ormOptions({
  url: config.DATABASE_MIGRATION_URL ?? config.DATABASE_URL ?? 'postgresql://localhost/dhara',
  maxConnections: 2,
});
