declare module 'virtual:theme.css';
declare module '@fontsource-variable/inter/wght.css';
declare module '@fontsource-variable/jetbrains-mono/wght.css';
declare module '@mantine/core/styles/*.css';
