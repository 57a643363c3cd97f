import { words } from '#words/video.js';
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { Link } from 'react-router';
import { keepShown } from '../../parts/keepShown.js';
import tabClasses from '../../parts/PageTabs.module.css';
import classes from './VideoTabs.module.css';

const TABS = ['overview', 'captions', 'embed', 'encoding'] as const;
export type VideoTab = (typeof TABS)[number];

export function isVideoTab(text: string): text is VideoTab {
  return (TABS as readonly string[]).includes(text);
}

/** The address of a tab; Overview has the video's own. */
export function tabPath(videoId: string, tab: VideoTab): string {
  return tab === 'overview' ? `/videos/${videoId}` : `/videos/${videoId}/${tab}`;
}

const PANEL = { id: 'video-tab-panel', role: 'tabpanel', tabIndex: 0 } as const;

interface Props {
  readonly videoId: string;
  readonly tab: VideoTab;
  /** The content of the open tab. */
  readonly children: ReactNode;
}

/**
 * Tabs as in the WAI-ARIA practices. Each is a link, so that it can be shared, reloaded and opened in a new window. Arrow
 * keys only move the focus, because a tab loads its content, and going back should not lead through all of them.
 */
export function VideoTabs({ videoId, tab, children }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => keepShown(list.current!, (row) => row.querySelector<HTMLElement>(`#video-tab-${tab}`)), [tab]);

  function press(event: KeyboardEvent): void {
    const tabs = [...(list.current?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const steps: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 };
    if (event.key === ' ') tabs[at]?.click();
    else if (event.key in steps) tabs.at(steps[event.key]! % tabs.length)?.focus();
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div ref={list} role="tablist" aria-label={words.tabs.label} className={tabClasses['tabs']}>
        {TABS.map((one) => (
          <Link
            key={one}
            id={`video-tab-${one}`}
            role="tab"
            to={tabPath(videoId, one)}
            aria-selected={one === tab}
            aria-controls={one === tab ? PANEL.id : undefined}
            tabIndex={one === tab ? 0 : -1}
            onKeyDown={press}
          >
            {words.tabs[one]}
          </Link>
        ))}
      </div>
      <div {...PANEL} aria-labelledby={`video-tab-${tab}`} className={classes['panel']}>
        {children}
      </div>
    </>
  );
}
