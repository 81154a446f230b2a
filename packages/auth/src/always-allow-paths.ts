import { noOpinion, noRules } from './authorizer.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/**
 * Creates an authorizer that allows all users to request these non-resource paths. A trailing `*` matches any suffix. Throws if `*` is not
 * the last character.
 */
export function createAlwaysAllowPathsAuthorizer(paths: readonly string[]): Authorizer {
  const allow: Decision = { decision: 'allow', reason: '' }
  const exact = new Set<string>()
  const prefixes: string[] = []
  for (const path of paths) {
    const bare = withoutSlash(path)
    const star = bare.indexOf('*')
    if (star >= 0 && star !== bare.length - 1)
      throw new Error(`invalid always-allowed path ${JSON.stringify(path)}: * is only allowed at the end`)
    if (star >= 0) prefixes.push(bare.slice(0, -1))
    else exact.add(bare)
  }
  return {
    authorize: ({ action }) => {
      if (action.isResourceRequest) return noOpinion
      const path = withoutSlash(action.path)
      return exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)) ? allow : noOpinion
    },
    rulesFor: () => ({ ...noRules, nonResourceRules: paths.length === 0 ? [] : [{ verbs: ['*'], nonResourceURLs: [...paths] }] }),
  }
}

function withoutSlash(path: string): string {
  return path.startsWith('/') ? path.slice(1) : path
}
