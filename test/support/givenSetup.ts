/** A run gets another run's set-up in this variable, as JSON, and then sets up nothing itself. */
export const GIVEN_SETUP = 'DHARA_TESTS_SETUP';
