/**
 * The styles of Mantine's components. The build also reads this file to generate a static style sheet of its variables. Components are
 * referred to by name, so that each page loads only those that it shows.
 */
import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** One shade in both themes: white on it has a contrast of 5.5 : 1. */
const accent: MantineColorsTuple = [
  '#e6f4f5',
  '#cfe6e8',
  '#a0ccd0',
  '#6db0b6',
  '#45989f',
  '#2b8891',
  '#0f7480',
  '#0b626c',
  '#084f57',
  '#043c43',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 6,
  colors: { accent },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '11px', sm: '13px', md: '13px', lg: '14px', xl: '22px' },
  defaultRadius: '6px',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'compact-md', variant: 'default' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    ModalRoot: {
      // A scroll lock would write a `<style>` element; it is not needed, because pages scroll in an inner element.
      defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 120 } },
    },
    Menu: {
      // The placeholder is exposed to screen readers although it is not a menu item (mantinedev/mantine#8971).
      defaultProps: { withInitialFocusPlaceholder: false, transitionProps: { duration: 120 } },
    },
    Popover: { defaultProps: { transitionProps: { duration: 120 } } },
  },
});
