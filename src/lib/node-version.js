/** Version check, before anything else is loaded: dependencies crash on an old Node. */

const needed = [22, 18]

/**
 * Returns the reason why this Node cannot run momock, or undefined if it can.
 * @returns {string | undefined}
 */
export function nodeProblem () {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const isOld = major < needed[0] || (major === needed[0] && minor < needed[1])
  return isOld
    ? `momock cannot start: it needs Node.js ${needed.join('.')} or later, but this is ` +
        `${process.version}. Install a newer Node.js`
    : undefined
}
