import type {
  TestPayment as PaymentRecord,
  TestWallet as WalletRecord,
} from '../../../domain/payments/testMode/testWallet.js';
import type { TestPayment, TestWallet } from '../types/testMode.js';

export function testPaymentView({ id, amountMicros, createdAt, dispute }: PaymentRecord): TestPayment {
  return {
    id,
    amount: amountMicros,
    createdAt,
    dispute: dispute && { id: `test_${dispute.id}`, state: dispute.state, createdAt: dispute.createdAt },
  };
}

export function testWalletView(wallet: WalletRecord): TestWallet {
  return {
    available: wallet.availableMicros,
    disputeHold: wallet.disputeHoldMicros,
    debt: wallet.debtMicros,
    payments: wallet.payments.map(testPaymentView),
  };
}
