// npm run build: bundles the server into a few files, because loading a thousand files would make the start slow.
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { findDependencyProblems } from './lib/bundle-dependencies.mjs'
import { ensureInstalled, root } from './lib/prepare.mjs'

ensureInstalled()
const { rolldown } = await import('rolldown')

const app = path.join(root, 'apps/apiserver')
const dist = path.join(app, 'dist')
// The engine keeps the source of loaded code: one byte per character if all are ASCII, otherwise two.
const charset = 'ascii'
const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } }

// Libraries that the server loads with `createRequire` when it first needs them. Each library becomes a separate file in the bundle.
const required = new Map()
const lazyLibraries = {
  name: 'lazy-libraries',
  transform(code, id) {
    if (!code.includes('createRequire(import.meta.url)(')) return null
    const replaced = code.replace(/createRequire\(import\.meta\.url\)\((['"])([\w@/-]+)\1\)/g, (_call, _quote, name) => {
      required.set(name, createRequire(id).resolve(name))
      return `createRequire(import.meta.url)('./${formatFile(name)}')`
    })
    // No source map is needed, because the replacement keeps the line numbers of stack traces.
    return { code: replaced, map: null }
  },
}
const formatFile = (name) => `${name.replace('/', '-')}.cjs`

// An import of node:http reads all exports of the module. One of them loads Node's WebSocket client, which takes 7 MB and 25 ms. Add names here as needed: the
// build fails for others.
const httpNames = ['Agent', 'ServerResponse', 'createServer', 'request']
const httpWithoutWebSocket = {
  name: 'http-without-websocket',
  resolveId: (id) => (id === 'node:http' ? '\0node:http' : null),
  load: (id) => (id === '\0node:http' ? `export const { ${httpNames.join(', ')} } = process.getBuiltinModule('node:http')` : null),
}

// The file with the descriptions of API types, which the server reads when a client requests an OpenAPI document.
const descriptions = 'descriptions.ndjson'
const descriptionsFile = {
  name: 'descriptions-file',
  transform(code) {
    const source = `new URL('../../src/generated/${descriptions}', import.meta.url)`
    return code.includes(source) ? { code: code.replace(source, `new URL('../${descriptions}', import.meta.url)`), map: null } : null
  },
}

// Packages that are not bundled, because they load native addons or protocol definitions relative to their own files.
const external = ['lmdb', 'fs-native-extensions', 'etcd3']

const bundle = await rolldown({
  input: path.join(app, 'src/main.ts'),
  cwd: app,
  platform: 'node',
  external,
  plugins: [lazyLibraries, httpWithoutWebSocket, descriptionsFile],
  treeshake: true,
  logLevel: 'warn',
})
rmSync(path.join(dist, 'chunks'), { recursive: true, force: true })
const sourcemap = true
const written = await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: 'main.js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  minify,
  charset,
  sourcemap,
  // The modules of the options get a separate file, so that --help does not load the server.
  codeSplitting: { groups: [{ name: 'options', test: /control-plane\/src\/options\/|defaults\.ts$/ }] },
})
await bundle.close()
const outputs = [...written.output]

for (const [name, input] of required) {
  const library = await rolldown({ input, platform: 'node', plugins: [lazyLibraries], logLevel: 'warn' })
  const { output } = await library.write({
    file: path.join(dist, 'chunks', formatFile(name)),
    format: 'cjs',
    minify,
    charset,
    sourcemap,
    codeSplitting: false,
  })
  await library.close()
  outputs.push(...output)
}

copyFileSync(path.join(root, 'packages/api/src/generated', descriptions), path.join(dist, descriptions))

const { dependencies } = JSON.parse(readFileSync(path.join(app, 'package.json'), 'utf8'))
const complaints = findDependencyProblems(outputs, dependencies)
if (complaints.length > 0) {
  for (const complaint of complaints) process.stderr.write(`apps/apiserver/package.json: ${complaint}\n`)
  process.exit(1)
}
