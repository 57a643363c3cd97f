import { words } from '#words/parts.js';
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../parts/States.js';

/** Shown when a page breaks: usually a new version was released and this page's code no longer exists. */
export class CrashScreen extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <EmptyState
        isPage
        icon="alert"
        title={words.crashScreen.pageCrashed}
        advice={words.crashScreen.reloadGetLatestVersion}
      >
        <Button onClick={() => location.reload()}>{words.crashScreen.reload}</Button>
      </EmptyState>
    );
  }
}
