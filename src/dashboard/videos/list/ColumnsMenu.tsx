import { words } from '#words/videos.js';
import { Checkbox, Stack } from '@mantine/core';
import { Icon } from '../../parts/Icon.js';
import { PanelButton } from '../../parts/PanelButton.js';
import { COLUMNS, type Column } from './useColumns.js';

interface Props {
  readonly columns: readonly Column[];
  readonly onColumn: (column: Column, isShown: boolean) => void;
}

/** Which columns the table has. */
export function ColumnsMenu({ columns, onColumn }: Props) {
  return (
    <PanelButton label={words.columns.columns} icon={<Icon name="table" size={16} />}>
      <Stack gap="xs" role="group" aria-label={words.columns.columns}>
        {COLUMNS.map((column) => (
          <Checkbox
            key={column}
            size="sm"
            label={words.columns[column]}
            checked={columns.includes(column)}
            onChange={(event) => onColumn(column, event.currentTarget.checked)}
          />
        ))}
      </Stack>
    </PanelButton>
  );
}
