import { Button, type ButtonProps } from '@mantine/core';
import { useViewer } from '../session/viewer.js';

interface Props extends ButtonProps {
  readonly href: string;
  readonly 'aria-label'?: string;
}

/** Downloads a document of the account. Nothing can be downloaded in a view as owner. */
export function DownloadButton({ href, ...props }: Props) {
  const { view } = useViewer();
  return view === null ? <Button component="a" href={href} download {...props} /> : <Button disabled {...props} />;
}
