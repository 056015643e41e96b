import { useState, type ReactNode } from 'react';
import { Segments } from '../parts/small.tsx';
import { setSingleKeys, singleKeysOn } from '../shell/keys.ts';
import { setDensity, useDensity, useTheme } from '../shell/look.ts';

export function Appearance(): ReactNode {
  const [theme, setTheme] = useTheme();
  const density = useDensity();
  const [hasKeys, setKeys] = useState(singleKeysOn);
  return (
    <div className="stack form">
      <h2>Theme</h2>
      <Segments
        label="Theme"
        value={theme}
        options={[
          ['system', 'Same as system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={setTheme}
      />
      <h2>Density</h2>
      <Segments
        label="Density"
        value={density}
        options={[
          ['compact', 'Compact'],
          ['regular', 'Regular'],
          ['comfortable', 'Comfortable'],
        ]}
        onChange={setDensity}
      />
      <h2>Keys</h2>
      <label className="line tight">
        <input
          type="checkbox"
          checked={hasKeys}
          onChange={(event) => {
            setSingleKeys(event.target.checked);
            setKeys(event.target.checked);
          }}
        />
        Single-letter shortcuts
      </label>
      <p className="hint">Stored in this browser. Animations follow the setting of the system.</p>
    </div>
  );
}
