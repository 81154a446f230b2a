// npm run build: the server as one bundle, so that a start reads a few files instead of a thousand.
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { ensureInstalled, root } from './lib/prepare.mjs'

ensureInstalled()
const { rolldown } = await import('rolldown')

const app = path.join(root, 'apps/apiserver')
const dist = path.join(app, 'dist')
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

// Libraries that are loaded with `createRequire` at their first use: each becomes a file beside the chunks, still loaded only then.
const required = new Map()
const lazyLibraries = {
  name: 'lazy-libraries',
  transform(code, id) {
    if (!code.includes('createRequire(import.meta.url)(')) return null
    return code.replace(/createRequire\(import\.meta\.url\)\((['"])([\w@/-]+)\1\)/g, (_call, _quote, name) => {
      required.set(name, createRequire(id).resolve(name))
      return `createRequire(import.meta.url)('./${fileOf(name)}')`
    })
  },
}
const fileOf = (name) => `${name.replace('/', '-')}.cjs`

const bundle = await rolldown({
  input: path.join(app, 'src/main.ts'),
  cwd: app,
  platform: 'node',
  // Native addons, and protocol definitions, that are found relative to their own package.
  external: ['lmdb', 'fs-native-extensions', 'etcd3'],
  plugins: [lazyLibraries],
  treeshake: true,
  logLevel: 'warn',
})
rmSync(path.join(dist, 'chunks'), { recursive: true, force: true })
await bundle.write({ dir: dist, format: 'esm', entryFileNames: 'main.js', chunkFileNames: 'chunks/[name]-[hash].js', minify })
await bundle.close()

for (const [name, input] of required) {
  const library = await rolldown({ input, platform: 'node', logLevel: 'warn' })
  await library.write({ file: path.join(dist, 'chunks', fileOf(name)), format: 'cjs', minify, codeSplitting: false })
  await library.close()
}
