import { Link } from 'react-router';
import { Code } from '../parts/Code.js';
import { Note, Part, Section, Table } from '../parts/Text.js';

const TERMS: readonly (readonly [term: string, meaning: string])[] = [
  ['View', 'A playback token that was exchanged, no matter how often'],
  ['Unique view', 'A viewer on one day (UTC)'],
  ['Play', 'A view whose first frame was shown'],
  ['Exit before start', 'A view that ended after play was pressed and before the first frame'],
  ['Watch time', 'The time in which the picture moved, without pauses, seeks and stalls'],
  ['Completion', 'A view that reached the end'],
  ['Average watched', 'The share of the video that a play covered, on average'],
  ['Retention', 'For each hundredth of the video, how many plays watched it'],
  ['Startup', 'From pressing play to the first frame'],
  ['Rebuffering', 'The share of the time for which the picture stood still for lack of data, after the first frame'],
];

const QUERY = `query {
  analytics(input: { from: "2026-11-01", to: "2026-11-30", videoId: "vid_…", dimension: COUNTRY }) {
    totals { views uniqueViews watchedMs completionRate startupP95Ms rebufferRatio }
    series { startsAt figures { views } }
    breakdown { value figures { views } }
    retention
  }
}`;

const OFF = `<dhara-player token="eyJ…" analytics="off"></dhara-player>
<iframe src="…/embed#token=eyJ…&analytics=off"></iframe>`;

/** What analytics count, and how to switch reports off. docs/analytics.md says more. */
export function Analytics() {
  return (
    <Section id="analytics" title="Analytics">
      <p>
        <Link to="/analytics">Analytics</Link> shows how your videos are watched, at most ten seconds late. GraphQL has
        the same numbers: use an access token with the scope read.
      </p>
      <Part id="analytics-counted" title="What is counted" />
      <Table label="What analytics count" head={['Term', 'Meaning']} rows={TERMS} />
      <p>
        A view belongs to the hour and day (UTC) in which its token was created. Bots and your own previews are left
        out. Days are kept for good, hours for 13 months, and single views for 30 days.
      </p>
      <Code title="GraphQL" code={QUERY} />
      <Part id="analytics-privacy" title="Privacy" />
      <p>
        There is no cookie, nothing is stored in the browser, and no address is kept. To tell unique views apart, the
        service keeps a hash for two days, with a key that changes every day.
      </p>
      <p>
        The player sends its reports to the service, beside the stream. To switch them off, for example because a viewer
        has not agreed:
      </p>
      <Code title="No reports" code={OFF} />
      <Note>
        Viewers’ browsers send the reports, so the numbers are an estimate. Quotas and charges never depend on them.
      </Note>
    </Section>
  );
}
