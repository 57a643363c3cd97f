import { words } from '#words/videos.js';
import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { Icon } from '../../parts/Icon.js';
import { COLUMNS, type Column } from './useColumns.js';

interface Props {
  readonly columns: readonly Column[];
  readonly onColumn: (column: Column, isShown: boolean) => void;
}

/** Which columns the table has. */
export function ColumnsMenu({ columns, onColumn }: Props) {
  return (
    <Popover position="bottom-end" trapFocus transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button variant="default" leftSection={<Icon name="table" size={16} />}>
          {words.columns.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
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
      </Popover.Dropdown>
    </Popover>
  );
}
