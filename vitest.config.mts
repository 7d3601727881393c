import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/live/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
