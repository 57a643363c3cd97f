import type { Page } from 'playwright-core';

import type { Demo } from '../support/service.js';

/** Signs in by the form, as the demo user or as another user; ends at Home. Ten per minute are allowed. */
export async function signIn(page: Page, { email, password }: Pick<Demo, 'email' | 'password'>): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
}
