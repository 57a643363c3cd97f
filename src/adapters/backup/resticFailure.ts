import { BackupError, type BackupErrorCode } from '../../ports/backupRepository.js';

export interface ResticFailure {
  readonly code: number;
  readonly stderr: string;
  readonly repository: string;
}

/**
 * What restic's exit codes mean since 0.17; before that, all of them are 1 and only the message tells. Both are read,
 * the message in the words that releases from 0.14 on use.
 */
const EXIT_CODES: Readonly<Record<number, ResticFault>> = {
  3: 'FILES_UNREADABLE',
  10: 'REPOSITORY_MISSING',
  11: 'REPOSITORY_LOCKED',
  12: 'WRONG_PASSWORD',
};
const MESSAGES: readonly (readonly [RegExp, ResticFault])[] = [
  [/target (?:directories|files).* do not exist|does not exist, skipping/i, 'FILES_UNREADABLE'],
  [/no space left on device|disk quota exceeded/i, 'DISK_FULL'],
  [/wrong password or no key found|an empty password/i, 'WRONG_PASSWORD'],
  [/Is there a repository at the following location|repository does not exist/i, 'REPOSITORY_MISSING'],
  [/unable to create lock|repository is already locked/i, 'REPOSITORY_LOCKED'],
  [
    /ciphertext verification failed|invalid data returned|not found in (?:index|repository)|does not match|id mismatch|hash mismatch|has the wrong size|does not exist|no such file or directory|unexpected EOF|invalid character|load.* returned error/i,
    'REPOSITORY_DAMAGED',
  ],
];

/** The error for a run of restic that failed. restic's own line, which has no secrets, follows ours. */
export function failureOf({ code, stderr, repository }: ResticFailure): BackupError {
  const found = EXIT_CODES[code] ?? MESSAGES.find(([pattern]) => pattern.test(stderr))?.[1] ?? 'REPOSITORY_FAILED';
  return new BackupError(found, `${SENTENCES[found](withoutPassword(repository))} (restic: ${lastLine(stderr)})`);
}

type ResticFault = Extract<
  BackupErrorCode,
  'DISK_FULL' | 'FILES_UNREADABLE' | 'WRONG_PASSWORD' | `REPOSITORY_${string}`
>;

const SENTENCES: Readonly<Record<ResticFault, (repository: string) => string>> = {
  DISK_FULL: () => 'The disk is full.',
  FILES_UNREADABLE: () => 'Some files could not be read, so there is no backup. Run it as the user of the service.',
  REPOSITORY_DAMAGED: (repository) =>
    `The repository ${repository} is damaged. Check it with: restic check --read-data`,
  REPOSITORY_FAILED: (repository) => `${repository} could not be used.`,
  REPOSITORY_LOCKED: (repository) => `Another program uses ${repository}. Try again after it.`,
  REPOSITORY_MISSING: (repository) => `There is no repository at ${repository}. To create it, add --init.`,
  WRONG_PASSWORD: (repository) => `The password does not open ${repository}.`,
};

/** Addresses of REST servers may have a password in them. */
function withoutPassword(repository: string): string {
  return repository.replace(/\/\/[^/@]*@/, '//');
}

function lastLine(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const line = lines.findLast((each) => /^Fatal|rror/.test(each)) ?? lines.at(-1) ?? '';
  return withoutPassword(line.slice(0, 400)) || 'no message';
}
