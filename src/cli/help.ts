import { describeSettings } from '../config/config.js';
import { OWNER_COMMANDS } from './owner/run.js';

const COLUMN = 28;

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
  keys rewrap                 encrypts every stored secret under MASTER_KEY that one of MASTER_KEY_PREVIOUS opens
  ledger verify               proves the books and their seals; ends with 1 and names what does not hold
  ledger seal                 seals what was booked since the last block
  ledger reconcile-seals [--blocks FIRST-LAST --reason TEXT]
                              shows what the archive of seals has and a restored database has lost; or gives
                              just those blocks up, for ever
  clock                       shows what charges by the day wait for, where the clock does not add up
  clock accept --today YYYY-MM-DD --reason TEXT
                              lets them go on, late nights included
  storage run [--date YYYY-MM-DD]
                              charges storage for every day that is due, or for that day
  storage reverse --from YYYY-MM-DD [--reason TEXT]
                              shows what was charged for that day and all after it; with a reason, gives it back
  backup --to FILE            the embedded database in one file, also while the service runs
  restore --from FILE [--replace]
                              puts it back; with --replace in the place of the one that is there
  store move --from disk|s3 --to s3|disk [--delete]
                              copies all videos from one store to the other, also while the service runs
  store edge                  prints the settings of the CDN's edge script; one of them is a secret
  plan FILE [--quality QUALITY] [--normalize-loudness] [--branding] [--json]
                              prints what would be made of a file
  doctor [--repair] [--json]  finds what is stuck and says why; --repair mends what needs no person.
                              Ends with 1 where anything is stuck
  --help                      this text

Commands for owners, with any service; each takes --json:
${ownersHelp()}
They exit with 1 if the service refuses, 2 if they were typed wrongly, and 3 if you have to log in.

Settings (environment variables) [default]:
${describeSettings()}
`;
}

function ownersHelp(): string {
  return OWNER_COMMANDS.map(({ name, positionals, summary }) => {
    const [what, options] = summary.split(/ (?=\[)/);
    const lines = [`  ${[name, ...positionals].join(' ')}`.padEnd(COLUMN + 2) + what!];
    if (options !== undefined) lines.push(' '.repeat(COLUMN + 2) + options);
    return lines.join('\n');
  }).join('\n');
}
