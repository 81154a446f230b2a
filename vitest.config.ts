import { defineConfig } from 'vitest/config'

const tests = 'src/**/*.test.ts'

/** Packages whose tests hold nothing of the process (no threads, stores on disk or running servers), so that they may share its modules. */
const pure = [
  'admission',
  'api',
  'apiextensions',
  'apimachinery',
  'auth',
  'cel',
  'controllers',
  'core-services',
  'encryption',
  'exchange',
  'http-installer',
  'loopback',
  'registry',
  'resources',
  'resources-core',
  'storagebackend',
].map((name) => `packages/${name}/${tests}`)

export default defineConfig({
  test: {
    // Only what hangs ends here: a test that starts servers takes many times as long on a busy machine.
    testTimeout: 120_000,
    // Polling may take as long as a busy machine needs.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
    restoreMocks: true,
    projects: [
      // Loading the modules once for all files of a worker takes a third of the processor time of loading them for each file.
      { extends: true, test: { name: 'pure', include: pure, isolate: false } },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: [`packages/*/${tests}`, `apps/*/${tests}`, 'apps/*/test/**/*.test.ts', `tooling/*/${tests}`],
          exclude: pure,
        },
      },
    ],
  },
})
