/**
 * Which Node it runs on. Looked at before anything else is loaded: on an old one the first thing to
 * fail would be a package, and badly.
 */

const needed = [22, 18]

/**
 * Why this Node cannot run it; nothing, if it can.
 * @returns {string | undefined}
 */
export function nodeProblem () {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const isOld = major < needed[0] || (major === needed[0] && minor < needed[1])
  return isOld
    ? `momock cannot start: it needs Node.js ${needed.join('.')} or later, and this is ` +
        `${process.version}`
    : undefined
}
