import { createGauge } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Body of the response at `/version`. */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor: string
  readonly emulationMinor: string
  readonly minCompatibilityMajor: string
  readonly minCompatibilityMinor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/**
 * Returns version information for `/version`. It names the Kubernetes release that this server implements; the part after `+` names
 * Keelson.
 */
export function getVersionInfo(): VersionInfo {
  return {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitVersion: 'v1.36.4+keelson',
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${architectures[process.arch] ?? process.arch}`,
  }
}

/** Registers the metric `kubernetes_build_info`. */
export function registerBuildInfo(registry: MetricsRegistry, version: VersionInfo): void {
  const buildInfo = registry.register(createGauge('kubernetes_build_info', '[BETA] What the process was built from; always 1.'))
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version
  const git = { git_version: gitVersion, git_commit: gitCommit, git_tree_state: gitTreeState }
  buildInfo.with({ major, minor, ...git, build_date: buildDate, go_version: goVersion, compiler, platform }).value = 1
}
