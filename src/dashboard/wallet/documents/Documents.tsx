import { BillingCard } from './BillingCard.js';
import classes from './Documents.module.css';
import { StatementList } from './StatementList.js';

/** The papers: monthly statements, and whom receipts and invoices are made out to. */
export default function Documents() {
  return (
    <div className={classes['pair']}>
      <StatementList />
      <BillingCard />
    </div>
  );
}
