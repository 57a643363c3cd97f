import { Progress, Text } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';

const SLOW_MS = 1000;

/** Says what is happening if it takes noticeably long. */
export function SlowNotice({ busy, children }: { busy: boolean; children: ReactNode }) {
  return busy ? <Notice>{children}</Notice> : null;
}

function Notice({ children }: { children: ReactNode }) {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status">
      {isSlow ? (
        <>
          <Text size="sm" c="dimmed" mb={4}>
            {children}
          </Text>
          <Progress value={100} animated size="sm" aria-hidden="true" />
        </>
      ) : null}
    </div>
  );
}
