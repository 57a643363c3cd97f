import { type NoParams, execute, statement } from '../../../../db/sql.js';
import type { SandboxKind } from '../../../../ports/transcoder.js';
import { found, NOTHING, rowsCheck, type Check, type Finding } from '../check.js';
import type { Machine, Services } from '../services.js';

const MAX_SKEW_MS = 2000;
const LOW_SPACE_BYTES = 2 * 1024 ** 3;

const CLOCK = statement<NoParams, { now_ms: string }>(
  'doctor-clock',
  'select extract(epoch from clock_timestamp()) * 1000 as now_ms',
);

/** The database itself, this machine, and its free space. */
export function machineChecks(
  services: Services,
  machine: Machine,
  lowSpaceBytes: number = LOW_SPACE_BYTES,
): readonly Check[] {
  return [
    migrations(machine),
    DATABASE_ROLE,
    replica(machine),
    clock(machine),
    ffmpeg(machine),
    store(services),
    freeSpace(services, lowSpaceBytes),
  ];
}

function migrations(machine: Machine): Check {
  return {
    name: 'migrations',
    title: 'migrations that the database does not have yet',
    remedy: 'Run `dhara migrate`.',
    async find() {
      const pending = await machine.pendingMigrations();
      return found(
        pending.map((name) => ({ subject: name, since: null, why: 'This build needs it, but the database is older.' })),
      );
    },
  };
}

const DATABASE_ROLE = rowsCheck({
  name: 'database-role',
  title: 'tables that the running service could change or drop',
  remedy: 'Give DATABASE_URL a separate role that owns nothing, and name the owner in DATABASE_MIGRATION_URL.',
  text: `
    select format('%s.%s', n.nspname, c.relname), null::timestamptz,
      'The role ' || current_user || ' of DATABASE_URL has the rights of its owner.'
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'auth', 'pgboss') and c.relkind in ('r', 'p')
      and pg_has_role(current_user, c.relowner, 'member')
    union all
    select 'public.ledger_entry', null, 'The role ' || current_user || ' of DATABASE_URL may rewrite the books.'
    where has_table_privilege('ledger_entry', 'update')
      and not pg_has_role(current_user, (select relowner from pg_class where oid = 'ledger_entry'::regclass), 'member')`,
});

function replica(machine: Machine): Check {
  return {
    name: 'read-replica',
    title: 'the replica that the dashboard’s lists and analytics should be read from is not read',
    remedy: 'Repair the standby of DATABASE_READ_URL, or remove the setting. Until then, the primary serves its reads.',
    async find() {
      const fault = await machine.replicaFault();
      return fault === null ? NOTHING : found([{ subject: 'DATABASE_READ_URL', since: null, why: fault }]);
    },
  };
}

function clock(machine: Machine): Check {
  return {
    name: 'clock',
    title: 'the clocks of this machine and of the database differ',
    remedy: 'Synchronize both with NTP. Tokens, presigned addresses and webhooks use this machine’s clock.',
    async find({ sql }) {
      const before = machine.nowMs();
      const [row] = await execute(sql, CLOCK);
      const after = machine.nowMs();
      const skewMs = (before + after) / 2 - Number(row!.now_ms);
      if (Math.abs(skewMs) <= MAX_SKEW_MS + (after - before) / 2) return NOTHING;
      const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
      const why = `It is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database’s.`;
      return found([{ subject: 'clock of this machine', since: null, why }]);
    },
  };
}

const UNFILTERED = 'It may make any system call, so it could exploit a bug in the kernel.';

const WEAK_SANDBOX: Partial<Record<SandboxKind, string>> = {
  unshare: `It runs without bubblewrap. ${UNFILTERED}`,
  'bwrap-without-filter': `This machine does not support seccomp filters. ${UNFILTERED}`,
  none: 'It runs without a sandbox: it can reach the network.',
  'unshare-as-ourselves': 'It runs as the service’s own user: it can read and change the service’s files.',
};

function ffmpeg(machine: Machine): Check {
  return {
    name: 'ffmpeg',
    title: 'ffmpeg is missing or not sandboxed',
    remedy:
      'Install ffmpeg and bubblewrap, or allow the worker namespaces. In production, the worker does not start otherwise.',
    async find() {
      const why = await machine.findSandbox().then(
        (kind) => WEAK_SANDBOX[kind] ?? null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      return why === null ? NOTHING : found([{ subject: 'ffmpeg', since: null, why }]);
    },
  };
}

function store(services: Services): Check {
  return {
    name: 'store',
    title: 'the object store cannot be written to',
    remedy: 'Mount it, free up space, or fix the S3_* settings. Until then, nothing can be uploaded or processed.',
    async find() {
      const why = await services()
        .store.check()
        .then(
          () => null,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
      return why === null ? NOTHING : found([{ subject: 'store', since: null, why }]);
    },
  };
}

function freeSpace(services: Services, lowSpaceBytes: number): Check {
  return {
    name: 'free-space',
    title: 'disk space is low',
    remedy: 'Free up space. Purchases are refused and runs are postponed if a video would not fit.',
    async find() {
      const low: Finding[] = [];
      for (const place of services().volumes) {
        const free = await place.freeBytes();
        if (free < lowSpaceBytes) low.push({ subject: place.name, since: null, why: `It has ${free} bytes free.` });
      }
      return found(low);
    },
  };
}
