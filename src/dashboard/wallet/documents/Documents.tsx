import { BillingCard } from './BillingCard.js';
import classes from './Documents.module.css';
import { StatementList } from './StatementList.js';

/** Monthly statements, and the buyer named on receipts and invoices. */
export default function Documents() {
  return (
    <div className={classes['pair']}>
      <StatementList />
      <BillingCard />
    </div>
  );
}
