// Measures a cold start of @keelson/testing as it is published: prints the milliseconds from before its import until the first response.
// Resolves the packages of this repository to their compiled files, as `publishConfig` does in an installed package.
import { readFileSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('@keelson/')) return next(specifier, context)
    const manifest = findPackageJSON(specifier, context.parentURL)
    const { name, publishConfig } = JSON.parse(readFileSync(manifest, 'utf8'))
    const entry = publishConfig.exports[`.${specifier.slice(name.length)}`]
    return { url: new URL(entry.default ?? entry, pathToFileURL(manifest)).href, shortCircuit: true }
  },
})

const began = performance.now()
const { startKeelson } = await import('@keelson/testing')
const cluster = await startKeelson()
const response = await cluster.fetch('/api/v1/namespaces/default/configmaps/kube-root-ca.crt')
await response.text()
if (response.status !== 200) throw new Error(`the response has the code ${response.status}`)
process.stdout.write(`${performance.now() - began}\n`)
await cluster.close()
