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
  migrate [--dry-run]         brings the database up to date, also while the service runs, then ends;
                              or prints the pending migrations and changes nothing
  user promote <email> --role support|owner
                              gives a user the role
  keys rotate                 publishes a new key for playback tokens; it signs after a minute
  keys rewrap                 encrypts every stored secret under MASTER_KEY that one of MASTER_KEY_PREVIOUS opens
  ledger verify               verifies the books and their seals; exits with 1 and names what is wrong
  ledger seal                 seals what was posted since the last block
  ledger reconcile-seals [--blocks FIRST-LAST --reason TEXT]
                              shows blocks that the archive of seals has and a restored database has lost;
                              or gives exactly those blocks up, for good
  clock                       shows the clock, and why daily charges are on hold
  clock accept --today YYYY-MM-DD --reason TEXT
                              resumes daily charges, late nights included
  storage run [--date YYYY-MM-DD]
                              charges storage for every day that is due, or for that day
  storage reverse --from YYYY-MM-DD [--reason TEXT]
                              shows what was charged for that day and all later ones; with a reason, returns it
  erase --account EMAIL|ID (--dry-run | --reason TEXT)
                              shows what erasing an account ends; with a reason, closes it and erases its
                              personal data, without the 30 days that an owner has
  personal-data --account EMAIL|ID --to FILE
                              writes all that an account holds, without secrets and files of videos, as lines
                              of JSON
  backup --repository REPOSITORY [--init] [--keep-days N]
                              database, videos and seals, encrypted in a restic repository, also while the
                              service runs; deletes backups that are N days older than the newest
  restore --repository REPOSITORY [--snapshot ID | --at TIME]
                              restores the newest, that one, or the newest of that time, where nothing is yet
  backup --to FILE            only the embedded database, in one file, also while the service runs
  restore --from FILE [--replace]
                              restores it; with --replace, over an existing database
  export --account ID --to FILE|- [--passphrase-file FILE]
                              writes an account to a signed archive, also while the service runs
  export --show-key           prints the public key that signs archives
  import --from FILE|- --key ed25519:KEY [--passphrase-file FILE]
                              brings an account from such an archive, with its ids and keys
  store move --from disk|s3 --to s3|disk [--delete]
                              copies all videos from one store to the other, also while the service runs
  store edge                  prints the settings of the CDN's edge script; one of them is a secret
  plan FILE [--quality QUALITY] [--normalize-loudness] [--branding] [--json]
                              prints how a file would be processed
  doctor [--repair] [--json]  finds what is stuck and says why; --repair fixes what needs no person.
                              Exits with 1 if anything is stuck
  --version                   prints the version
  --help                      this text

Commands for owners, with any service; each takes --json, and those about videos, keys and events
--test for test mode:
${ownersHelp()}
They exit with 1 if the service refuses, and 3 if you have to log in.

Every command exits with 2 if it is typed wrongly. With --json, errors are JSON, too.

Settings (environment variables) [default]:
${describeSettings()}
`;
}

function ownersHelp(): string {
  return OWNER_COMMANDS.map(({ name, positionals, summary }) => {
    const [what, ...options] = summary.split(/ (?=\[)/);
    const lines = [`  ${[name, ...positionals].join(' ')}`.padEnd(COLUMN + 2) + what!];
    return [...lines, ...options.map((option) => ' '.repeat(COLUMN + 2) + option)].join('\n');
  }).join('\n');
}
