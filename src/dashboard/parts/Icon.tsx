/**
 * Line icons on a 24-unit grid, drawn for this dashboard. Decorative only: the text beside an icon says what it means.
 */
const PATHS = {
  home: 'M4 11 12 4.5 20 11M6 9.5V19h4.5v-5h3v5H18V9.5',
  videos: 'M4 6.5h16v11H4zM10.5 9.8v4.4l3.8-2.2z',
  upload: 'M12 15.5V5M7.5 9 12 4.5 16.5 9M5 15.5V19h14v-3.5',
  key: 'M8 15.5m-4 0a4 4 0 1 0 8 0 4 4 0 1 0-8 0M11 12.5 19.5 4M15 8.5l3 3M17.2 6.3l2.3 2.3',
  events: 'M4 7h2M4 12h2M4 17h2M9.5 7H20M9.5 12H20M9.5 17H20',
  analytics: 'M4.5 4.5v15h15M8.5 16v-4M12.5 16V8M16.5 16v-6',
  webhook: 'M8.5 9.5a3.5 3.5 0 1 1 5.6 2.1l2.4 4M12 8.5l-3 6M7 14.5a3 3 0 1 0 2.6 4.5H16M14.5 16.5a3 3 0 1 1 1.6 4.1',
  wallet: 'M4 7.5h14.5V19H4zM4 7.5 14.5 4.5v3M18.5 11H15a2.25 2.25 0 0 0 0 4.5h3.5',
  settings: 'M4 7h9m4 0h3M4 17h3m4 0h9M15 7m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9 17m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  support:
    'M12 12m-8 0a8 8 0 1 0 16 0 8 8 0 1 0-16 0M12 12m-3.2 0a3.2 3.2 0 1 0 6.4 0 3.2 3.2 0 1 0-6.4 0M6.4 6.4l3.3 3.3M17.6 6.4l-3.3 3.3M6.4 17.6l3.3-3.3M17.6 17.6l-3.3-3.3',
  referrals:
    'M9 8.5m-3.2 0a3.2 3.2 0 1 0 6.4 0 3.2 3.2 0 1 0-6.4 0M3.5 19c0-3.4 2.3-5.2 5.5-5.2s5.5 1.8 5.5 5.2M18 8v6M15 11h6',
  docs: 'M12 6.5C10 5 7 4.8 4 5.2V18c3-.4 6-.2 8 1.3 2-1.5 5-1.7 8-1.3V5.2c-3-.4-6-.2-8 1.3M12 6.5v12.8',
  grid: 'M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z',
  table: 'M4 5.5h16v13H4zM4 10h16M4 14.2h16M9.5 10v8.5',
  tag: 'M4.5 4.5h7l8 8-7 7-8-8zM8.5 8.5h.01',
  clock: 'M12 12m-8 0a8 8 0 1 0 16 0 8 8 0 1 0-16 0M12 7.5V12l3 2',
  plus: 'M12 5.5v13M5.5 12h13',
  download: 'M12 4.5V15M7.5 10.5 12 15l4.5-4.5M5 15.5V19h14v-3.5',
  search: 'M10.5 10.5m-5.5 0a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M15 15l4.5 4.5',
  copy: 'M9 9h10.5v10.5H9zM15 5.5V4.5H4.5V15h1',
  check: 'M5 12.5 10 17 19 7.5',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v5.5M13.5 10.5v5.5',
  edit: 'M5 19h3.5L19 8.5 15.5 5 5 15.5zM13 7.5 16.5 11',
  more: 'M5 12a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0M11.3 12a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0M17.6 12a.7.7 0 1 0 1.4 0 .7.7 0 1 0-1.4 0',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5.5v13l10.5-6.5z',
  retry: 'M19 12a7 7 0 1 1-2.1-5M19 4v4h-4',
  close: 'M6 6l12 12M18 6 6 18',
  alert: 'M12 9v4.5M12 16.5h.01M12 4 3.5 19.5h17z',
  mail: 'M4 6.5h16v11.5H4zM4.5 7l7.5 6 7.5-6',
  shield: 'M12 4l7 2.5V12c0 4-3 6.5-7 8-4-1.5-7-4-7-8V6.5zM9 12l2.2 2.2L15.2 10',
  chevron: 'm9 5 7 7-7 7',
  back: 'M10.5 6 4.5 12l6 6M5 12h14.5',
  signOut: 'M14 5H5v14h9M10.5 12h9.5M16.5 8.5 20 12l-3.5 3.5',
  offline:
    'M4 9.5a12 12 0 0 1 5-2.7M20 9.5a12 12 0 0 0-5-2.8M7.5 13.2a7 7 0 0 1 2-1.2M16.5 13.2a7 7 0 0 0-2-1.2M12 17.5h.01M4.5 4l15 16',
  open: 'M10 5H5v14h14v-5M13.5 5H19v5.5M19 5l-8.5 8.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
