import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/live/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Machines of CI are shared: what waits for a condition may run out of time there once.
    retry: process.env['CI'] ? 2 : 0,
  },
});
