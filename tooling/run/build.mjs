// npm run build: the server as one bundle, so that a start reads a few files instead of a thousand.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { root } from './lib/prepare.mjs'

const app = path.join(root, 'apps/apiserver')
const dist = path.join(app, 'dist')

const bundle = await rolldown({
  input: path.join(app, 'src/main.ts'),
  cwd: app,
  platform: 'node',
  // Its native addon is found relative to its own package.
  external: ['lmdb'],
  treeshake: true,
  logLevel: 'warn',
})
rmSync(path.join(dist, 'chunks'), { recursive: true, force: true })
await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: 'main.js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
})
await bundle.close()
