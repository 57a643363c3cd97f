import { words } from '#words/accountPanel.js';
import {
  Button,
  NativeSelect,
  SegmentedControl,
  Text,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { useId } from 'react';
import { Link } from 'react-router';
import { auth } from '../session/authClient.js';
import { DATE_LANGUAGES, chooseDateLanguage, chosenDateLanguage, exampleOf } from '../lib/dateLanguage.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './AccountMenu.module.css';
import { isTestMode } from '../session/mode.js';
import { signOut } from '../session/signOut.js';
import { useViewer } from '../session/viewer.js';

const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

export default function AccountPanel() {
  const { name, email } = useViewer();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const themeLabel = useId();
  const leave = useAction(() => signOut(auth.signOut));
  return (
    <>
      <div>
        <Text fw={600} className="clip">
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="clip">
          {email}
        </Text>
      </div>
      <div>
        <Text size="sm" fw={600} id={themeLabel} mb={4}>
          {words.theme}
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby={themeLabel}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme)}
          data={SCHEMES.map((value) => ({ value, label: words.themes[value] }))}
        />
      </div>
      <NativeSelect
        label={words.dates}
        size="sm"
        defaultValue={chosenDateLanguage() ?? ''}
        onChange={(event) => chooseDateLanguage(event.currentTarget.value)}
        data={[
          { value: '', label: words.datesOfBrowser(exampleOf(null)) },
          ...DATE_LANGUAGES.map((value) => ({
            value,
            label: words.datesIn(value, exampleOf(value)),
          })),
        ]}
      />
      <div className={classes['actions']}>
        {/* Test mode shares the owner's settings, and shows them in live mode only. */}
        {isTestMode ? null : (
          <Button
            component={Link}
            to="/settings/profile"
            variant="subtle"
            color="gray"
            justify="flex-start"
            leftSection={<Icon name="settings" size={17} />}
          >
            {words.settings}
          </Button>
        )}
        <Button
          variant="subtle"
          color="gray"
          justify="flex-start"
          loading={leave.busy}
          leftSection={<Icon name="signOut" size={17} />}
          onClick={() => void leave.run()}
        >
          {words.signOut}
        </Button>
        <FormError error={leave.error} />
      </div>
    </>
  );
}
