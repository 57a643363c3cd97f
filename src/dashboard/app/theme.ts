import { words } from '#words/parts.js';
import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The logo's color, from tint to shade. Shade 7 under white text has a contrast of 5.4. */
const stream: MantineColorsTuple = [
  '#e9f7f9',
  '#d3eef2',
  '#a6dce4',
  '#74c8d5',
  '#43b4c5',
  '#27a4b7',
  '#148a9c',
  '#0b7485',
  '#075f6e',
  '#034a57',
];

export const theme = createTheme({
  colors: { stream },
  primaryColor: 'stream',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace",
  // The sizes of all text, with 13 px in dense rows and 20, 24 and 28 px for what a page is about.
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  // By name, not by component, so that the sign-in page does not load a dialog's code.
  components: {
    Alert: { defaultProps: { variant: 'light' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' } },
    Button: { defaultProps: { loaderProps: { type: 'dots' } } },
    // The `<header>` of a dialog is not the banner of the page.
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Loader: { defaultProps: { type: 'dots' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
        closeButtonProps: { 'aria-label': words.theme.close },
      },
    },
    ModalHeader: { defaultProps: { role: 'presentation' } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': words.theme.showPassword } } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    TextInput: { defaultProps: { autoComplete: 'off' } },
  },
});
