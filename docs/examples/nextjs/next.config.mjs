export default {
  poweredByHeader: false,
  // The repository around this folder has a lockfile too, which Next.js would take for the one of this site.
  turbopack: { root: import.meta.dirname },
  rewrites: () => [
    { source: '/hooks', destination: '/api/hooks' },
    { source: '/videos/:id/token', destination: '/api/token/:id' },
  ],
};
