import { words } from '#words/playback.js';
import { use } from 'react';
import { Link, useSearchParams } from 'react-router';
import { ViewerContext } from '../../session/viewer.js';
import { ExplainPlayback } from '../../playback/ExplainPlayback.js';
import { Section } from '../parts/Text.js';

/** Why something does not play. The form is for signed-in owners: it explains only what is theirs. */
export function Explain() {
  const viewer = use(ViewerContext);
  const [search] = useSearchParams();
  return (
    <Section id="explain" title="Explain playback">
      <p>
        Does a video not play for a viewer? Enter their token, the id of their view or any address of its stream, or the
        API key your server uses. You see every rule of the service with what it compared, the first rule that fails,
        and what happened to the view. In GraphQL, use <code>explainPlayback</code>; in a shell,{' '}
        <code>dhara explain</code>.
      </p>
      {viewer ? (
        <ExplainPlayback videoId={search.get('video')} />
      ) : (
        <p>
          {words.owner.signIn((text) => (
            <Link to="/sign-in?next=/docs/explain">{text}</Link>
          ))}
        </p>
      )}
    </Section>
  );
}
