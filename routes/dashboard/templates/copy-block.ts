import { html, type Html } from '../../../src/lib/html.ts'

/** Text in lines with a button that copies it. The button needs a script, and is hidden without. */
export function copyBlock (id: string, text: string, what = 'Copy'): Html {
  return html`<div class="codes"><pre><code id="${id}">${text}</code></pre>
<button type="button" class="copy" data-copy="${id}">${what}</button></div>`
}
