/** Packages that read files of their own. They stay packages; all others become part of the built server. */
export const UNBUNDLED = ['@fontsource/noto-sans', 'pdfkit', 'pino'];
