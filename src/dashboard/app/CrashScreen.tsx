import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../parts/States.js';

/** What is left when a page breaks: most often a new version was released and this page's code is gone. */
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
        title="This page has stopped"
        advice="Loading it again helps, most often because there is a newer version. Running uploads go on where they were."
      >
        <Button onClick={() => location.reload()}>Load again</Button>
      </EmptyState>
    );
  }
}
