import { describeSettings } from '../config.js';

/** What `dhara --help` prints. */
export function helpText(): string {
  return `Dhara: video hosting you run yourself.

Usage: dhara <command>        (from a checkout: npm start -- <command>)

Commands:
  all                         database, migrations, dashboard, API and worker in one process (npm start)
  api                         dashboard, GraphQL, /v1, uploads and media
  worker                      measures and processes videos
  migrate                     brings the database up to date, then ends
  user promote <email> --role support|owner
                              gives a user the role
  keys rotate                 publishes a new key for playback tokens; it signs after a minute
  ledger verify               proves the books; ends with 1 and names what is wrong where they do not hold
  --help                      this text

Settings (environment variables) [default]:
${describeSettings()}
`;
}
