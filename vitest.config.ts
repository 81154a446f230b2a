import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tooling/*/src/**/*.test.ts'],
    testTimeout: 20_000,
    // What comes by itself may take as long as a busy machine wants.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
    restoreMocks: true,
  },
})
