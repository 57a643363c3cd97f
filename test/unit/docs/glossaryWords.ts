/** A word of the glossary's last column where it is right, and why. */
interface Allowed {
  readonly words: readonly string[];
  /** What is allowed of a line. Default: the words, wherever they stand. */
  readonly as?: RegExp;
  /** The files in which it is allowed. Default: all. */
  readonly in?: RegExp;
  readonly why: string;
}

/** Words that have one meaning here, and the few places that need them. */
export const ALLOWED: readonly Allowed[] = [
  { words: ['tenant'], in: /^test\//, why: 'Kubernetes, S3 and OpenStack call theirs so' },
  { words: ['customer'], in: /^src\/adapters\/payments\//, why: 'fields of the providers' },
  {
    words: ['customer'],
    in: /^test\//,
    why: 'the owner whose server calls /v1, in `openCustomer`; fields of the providers',
  },
  { words: ['service key'], as: /x-service-key/gi, why: 'the header of the contract' },
  { words: ['mail'], as: /(?<![\w])mail[ -](?:server|program|provider)s?/gi, why: 'what carries and shows emails' },
  {
    words: ['mail'],
    as: /(?:adapters|identity|\.\.)\/mail\b|DATA_DIR\/mail|@?mail\.example\b|'mail'/g,
    why: 'names of folders, hosts and a limit',
  },
  {
    words: ['mail'],
    as: /(?:ALERT_)?MAIL_(?:FROM|TO)|\bmailTo\b|\bsendMail\b|(?:icon|name)="mail"|mail: '|dhara-mail-/g,
    why: 'settings, nodemailer and an icon',
  },
  { words: ['rung'], as: /playable_?rungs/gi, why: 'a field of GraphQL and its column' },
  {
    words: ['key frame'],
    as: /_?[kK]ey_?[fF]rame|KEY_FRAME/g,
    why: 'identifiers that are stored, in columns and in the facts of chunks, and those beside them',
  },
  { words: ['film'], in: /hdr\.test\.ts$/, why: 'the name of color primaries' },
  { words: ['fate'], as: /\bfate\b/g, in: /^(?:src\/domain|test)\//, why: 'a column' },
  { words: ['booking'], as: /\bbookings\b/g, in: /^src\/domain/, why: 'a column' },
  { words: ['purge'], as: /\w*purge\w*/gi, why: 'names in code for deleting for good, and a field of GraphQL' },
  { words: ['beacon'], as: /\bsendBeacon\b/g, why: 'the function of browsers' },
  {
    words: ['chargeback'],
    in: /payments|support|accountNotes/i,
    why: 'fields of the providers, and texts that staff type',
  },
  { words: ['trash'], as: /(?:icon|name)="trash"|trash: '/g, why: 'the name of an icon' },
  { words: ['face'], as: /@font-face|covers faces/g, why: 'fonts, and faces' },
  { words: ['room'], as: /room noise|living-room/g, why: 'rooms' },
  { words: ['room'], as: /\w*ROOM_SHARE_PERCENT/g, why: 'a setting that operators have set' },
  { words: ['room'], as: /`room`/g, in: /^CHANGELOG\.md$/, why: 'what a check of the doctor was called' },
  {
    words: ['bundle'],
    in: /^(?:src\/(?:dashboard|setup)|test)\/|decisions\/(?:0037|0057|README)/,
    why: 'the files that a bundler writes',
  },
  { words: ['go on'], as: /'354 go on/g, why: 'what SMTP servers say' },
];

/** Words that also mean something else: only these uses are refused. */
export const REFUSED_USES: Readonly<Record<string, RegExp>> = {
  migrate: /\b(?:im)?migrat\w+ (?:an? |the |your |this )?accounts?\b/i,
  sandbox: /\bsandbox (?:mode|keys?|videos?)\b/i,
  comment: /\b(?:staff|support) comments?\b|\bcomments? (?:on|about|of) (?:an? |the )?accounts?\b/i,
  answer:
    /\b(?:no|same|every|each|first|last|late) answers?\b|\banswers? (?:with|from) (?:a |the )?(?:status|server|provider)\b|(?<!\bset)(?<=[a-z])Answers?\b/,
  original: /\boriginal (?:file|video|upload)s?\b/i,
  upload: /\bupload(?:'s|’s)? (?:codec|resolution|pictures?|sound|quality)\b/i,
  part: /\bparts? of (?:a|the) (?:long|whole) video\b/i,
  border: /\bsegments?(?:'|’)? borders?\b|\bborders? (?:of|between) (?:a |the )?segments?\b/i,
  copy: /\bcop(?:y|ied|ies) (?:renditions?|packets?|pictures?|streams?)\b|\bpackets? (?:is|are|was|were) copied\b|\bcopy\??: true\b|\brendition\.copy\b/i,
  offer: /\b(?:price|binding|accepted?) offers?\b|\boffer expire[sd]?\b/i,
  cover: /\bcover (?:image|picture)s? of (?:a|the) video\b|\bvideo cover\b/i,
  texts: /\btexts? (?:tracks? )?of (?:a|the|its) (?:video|source)\b|\b(?:embedded|subtitle|caption) texts\b/i,
  idle: /\bidle (?:credits?|balance|money)\b/i,
  rule: /\b(?:allocation|automatic) rules?\b/i,
  hook: /\b(?:hook|webhook hook)s? (?:endpoint|url|of (?:an )?owner)/i,
  subscription: /\bwebhook subscriptions?\b|\bsubscriptions? (?:of|to) (?:an )?(?:endpoint|event type)s?\b/i,
  prove: /\bprov(?:e|es|ed|ing) (?:the |its |all )?(?:books|ledger|postings?|entries)\b/i,
};
