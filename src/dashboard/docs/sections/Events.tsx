import { Link } from 'react-router';
import EVENTS from '../../generated/events.json';
import { Code } from '../parts/Code.js';
import { Inline, Part, Section, Table } from '../parts/Text.js';

type EventReference = (typeof EVENTS)[number];

/** Types with the same data, in their order. */
const GROUPS = EVENTS.reduce<EventReference[][]>((groups, event) => {
  const alike = groups.find(([first]) => JSON.stringify(first?.fields) === JSON.stringify(event.fields));
  if (alike) alike.push(event);
  else groups.push([event]);
  return groups;
}, []);

const FOLLOW = `subscription Follow($after: String) {
  eventAdded(after: $after) { cursor payload }
}`;

/** Read from the definition of the events, so that it is complete. */
export function Events() {
  return (
    <Section id="events" title="Events">
      <p>
        Dhara logs what happens to your account and keeps it for a while, 90 days by default: see{' '}
        <Link to="/events">Events</Link>, or use GraphQL with an access token. <code>events</code> lists them, and{' '}
        <code>eventAdded</code> streams new ones. To resume after an interruption, pass the last <code>cursor</code> as{' '}
        <code>after</code>. No event is missed.
      </p>
      <Code title="GraphQL" code={FOLLOW} />
      <p>
        <code>payload</code> is the event as JSON: <code>id</code>, <code>type</code>, <code>version</code>,{' '}
        <code>timestamp</code>, <code>livemode</code> and <code>data</code>. Fields may be added to a version. A field
        that changes its meaning or goes away gets a new version. The TypeScript client exports a type for each event.
      </p>
      {GROUPS.map((group) => (
        <Group key={group[0]?.type} events={group} />
      ))}
    </Section>
  );
}

function Group({ events }: { events: readonly EventReference[] }) {
  const [first] = events;
  if (!first) return null;
  const family = first.type.slice(0, first.type.indexOf('.'));
  const title = events.length > 1 ? `${family}.*` : first.type;
  return (
    <>
      <Part id={`event-${first.type.replaceAll(/[._]/g, '-')}`} title={title} />
      <Table
        label={`Event types: ${title}`}
        head={['Type', 'When', 'Schema']}
        rows={events.map(({ type, description, schema, version }) => [
          <code key="type">{type}</code>,
          <Inline key="when" text={description} />,
          <a key="schema" href={schema}>
            Version&nbsp;{version}
          </a>,
        ])}
      />
      <Table
        label={`Data of ${title}`}
        head={['Field of data', 'Type', 'Description']}
        keepsCodes
        rows={first.fields.map(({ name, type, description }) => [
          <code key="name">{name}</code>,
          <code key="type">{type}</code>,
          <Inline key="description" text={description} />,
        ])}
      />
      {events.map(({ type, example }) => (
        <details key={type}>
          <summary>
            Example: <code>{type}</code>
          </summary>
          <Code title={type} code={JSON.stringify(example, null, 2)} />
        </details>
      ))}
    </>
  );
}
