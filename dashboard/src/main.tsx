import { createRoot } from 'react-dom/client';
import { MantineProvider } from '@mantine/core';
import 'virtual:theme.css';
import './look/index.css';
import { theme } from './look/theme.ts';

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <MantineProvider theme={theme} withCssVariables={false} withGlobalClasses={false}>
      <main>
        <h1>Weir</h1>
        <p>
          <a href="/auth/account">Your account</a> · <a href="/docs">API</a>
        </p>
      </main>
    </MantineProvider>,
  );
