/**
 * Who may import whom, types included.
 *
 *   api, worker → domain → ports ← adapters, and only app.ts (with app/) knows them all.
 *
 * Run by src/setup/layers.mjs, which hands over each module's imports and nothing else.
 */

/** The files that anyone may import. */
const COMMON =
  '^src/(errors|escapeHtml|logger|networkAddress|readableText|tracing|db/(connection|sql|runtimeRole))\\.js$';
/** The ways in, and what each may share: nothing of another. `api/http` mounts them. */
const ENTRY_POINTS =
  '^src/(api/(graphql|rest|webhooks|sandbox|delivery|uploads|documents|identity|unsubscribe)|worker)/';
/** The contexts of the domain, and which others each may import: inward only, so no two import each other. */
const CONTEXTS = {
  shared: [],
  accounts: ['shared'],
  ledger: ['shared'],
  payments: ['shared', 'accounts', 'ledger'],
  media: ['shared', 'accounts', 'ledger'],
  playback: ['shared', 'accounts'],
  operations: ['shared', 'accounts', 'ledger', 'payments', 'media', 'playback'],
};
/** The folders of the dashboard, each of which imports only those before it: what pages share, pages, and what shows them. */
const DASHBOARD = [
  ['generated', 'lib', 'session', 'parts', 'charts', 'playback', 'processing'],
  ['analytics', 'docs', 'auth', 'upload', 'videos', 'home', 'wallet', 'keys', 'events', 'webhooks', 'referrals'],
  ['settings', 'support', 'watch', 'palette', 'app'],
].flat();
/** Where the parts are put together, and the command line that picks a role. */
const COMPOSITION = '^src/((app|main)\\.js$|(app|cli)/)';
const OURS = '^src/';

/** What belongs to an entry point or to an adapter; the domain does without. */
const SDKS =
  '/node_modules/(express|@apollo|@as-integrations|graphql|type-graphql|helmet|@tus|better-auth|pg-boss|nodemailer|pino|prom-client|@opentelemetry|stripe|razorpay|@aws-sdk|ioredis)(/|$)';

/** A rule that lets the modules of `from` import of ours only what `allowed` matches. */
function only(name, comment, from, allowed) {
  return {
    name,
    comment,
    severity: 'error',
    from: { path: from },
    to: { path: OURS, pathNot: [...allowed, COMMON] },
  };
}

module.exports = {
  forbidden: [
    only('domain-points-inward', 'The domain knows ports, never who uses it or what implements them.', '^src/domain/', [
      '^src/domain/',
      '^src/ports/',
    ]),
    ...Object.entries(CONTEXTS).map(([context, others]) => ({
      name: `${context}-points-inward`,
      comment: 'A context of the domain imports only those further inward (CONTEXTS).',
      severity: 'error',
      from: { path: `^src/domain/${context}/` },
      to: { path: '^src/domain/', pathNot: [context, ...others].map((name) => `^src/domain/${name}/`) },
    })),
    {
      name: 'domain-has-seven-contexts',
      comment: 'What has no context of its own is shared.',
      severity: 'error',
      from: {},
      to: { path: '^src/domain/', pathNot: `^src/domain/(${Object.keys(CONTEXTS).join('|')})/` },
    },
    only('ports-know-nobody', 'A port is an interface; it depends on no implementation.', '^src/ports/', [
      '^src/ports/',
    ]),
    only('adapters-implement-ports', 'An adapter knows its port, not the rules of the service.', '^src/adapters/', [
      '^src/adapters/',
      '^src/ports/',
      '^src/domain/shared/ids\\.js$',
    ]),
    only('entry-points-call-the-domain', 'An entry point parses, makes one service call, and presents.', ENTRY_POINTS, [
      ENTRY_POINTS,
      '^src/domain/',
      '^src/ports/',
    ]),
    {
      name: 'entry-points-are-separate',
      comment: 'What two entry points share belongs into the domain.',
      severity: 'error',
      from: { path: ENTRY_POINTS },
      to: { path: ENTRY_POINTS, pathNot: '^src/$1/' },
    },
    {
      name: 'database-knows-no-entry-points',
      comment:
        'src/db maps entities and migrates; of the domain and the adapters it runs what they install in the database.',
      severity: 'error',
      from: { path: '^src/db/' },
      to: {
        path: OURS,
        pathNot: [
          '^src/db/',
          '^src/(domain|adapters)/.*\\.entity\\.js$',
          // What their owners install in the database.
          '^src/domain/(ledger/ledgerFunctions|accounts/notices/securityNotices)\\.js$',
          '^src/adapters/.*/migrate\\w+\\.js$',
          COMMON,
        ],
      },
    },
    {
      name: 'only-the-composition-root-composes',
      comment: 'app.ts and app/ alone construct services and adapters; nothing imports them but the command line.',
      severity: 'error',
      from: { path: OURS, pathNot: COMPOSITION },
      to: { path: COMPOSITION },
    },
    {
      name: 'settings-are-handed-over',
      comment: 'config.ts is read where the program is put together; everyone else takes plain options.',
      severity: 'error',
      from: { path: OURS, pathNot: COMPOSITION },
      to: { path: '^src/config/config\\.js$' },
    },
    {
      name: 'domain-uses-no-sdk',
      comment: 'What is outside the process sits behind a port.',
      severity: 'error',
      from: { path: '^src/(domain|ports)/' },
      to: { path: SDKS },
    },
    only('player-stands-alone', 'The player is shipped to other people’s pages.', '^src/player/', ['^src/player/']),
    only(
      'dashboard-knows-the-schema',
      'The dashboard talks GraphQL; it shares no code with the server.',
      '^src/dashboard/',
      ['^src/dashboard/', '^src/player/'],
    ),
    ...DASHBOARD.map((folder, at) => ({
      name: `dashboard-${folder}-points-inward`,
      comment: 'A folder of the dashboard imports only those before it (DASHBOARD).',
      severity: 'error',
      from: { path: `^src/dashboard/${folder}/` },
      to: { path: `^src/dashboard/(${DASHBOARD.slice(at + 1).join('|')})/` },
    })).slice(0, -1),
    {
      name: 'dashboard-folders-are-in-order',
      comment: 'A new folder gets its place in DASHBOARD.',
      severity: 'error',
      from: {},
      to: { path: '^src/dashboard/[^/]+/', pathNot: `^src/dashboard/(${DASHBOARD.join('|')}|public|words)/` },
    },
    only('client-stands-alone', 'It is published as a package of its own, with no dependency.', '^src/client/', [
      '^src/client/',
    ]),
    {
      name: 'server-knows-no-client',
      comment: 'Callers use the client; the service does not call itself.',
      severity: 'error',
      from: { path: OURS, pathNot: '^src/client/' },
      to: { path: '^src/client/' },
    },
    {
      name: 'server-knows-no-browser-code',
      comment: 'Dashboard and player are built apart and served as files.',
      severity: 'error',
      from: { path: OURS, pathNot: '^src/(dashboard|player)/' },
      to: { path: '^src/(dashboard|player)/' },
    },
    {
      name: 'no-cycles',
      comment: 'Modules that need each other load by luck, and can only be read together. Types count.',
      severity: 'error',
      from: { path: OURS },
      to: { circular: true },
    },
    {
      name: 'no-development-packages',
      comment: 'A production install leaves development dependencies out.',
      severity: 'error',
      from: { path: OURS, pathNot: ['^src/(dashboard|player|setup)/', '^src/api/graphql/writeSchema\\.js$'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['dynamic-import', 'npm'] },
    },
    {
      name: 'packages-are-declared',
      comment: 'A package that another one happens to bring is gone, or another version, one day.',
      severity: 'error',
      from: { path: OURS },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'everything-resolves',
      comment: 'An import that leads nowhere would slip through every other rule.',
      severity: 'error',
      from: {},
      // A package of types alone has no module to resolve to.
      to: { couldNotResolve: true, pathNot: '^@graphql-typed-document-node/core$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
