/** The dashboard: pages by folder, rendered by React from the API of the service. This file starts it. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import 'virtual:theme.css';
import './look/index.css';
import { queryClient } from './api/queries.ts';
import { shownTheme } from './shell/look.ts';
import { leaveWithOtherTabs } from './shell/signing-out.ts';
import { theme } from './look/theme.ts';
import { router } from './shell/router.tsx';

leaveWithOtherTabs();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <MantineProvider theme={theme} withCssVariables={false} withGlobalClasses={false} forceColorScheme={shownTheme()}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
