import { Failure } from '../components/Page.jsx';

export default function NotFound() {
  return <Failure title="Page not found" text="There is nothing at this address." />;
}
