/** Cases that the short runs leave out until their defect is fixed. */
export const leftOut = {
  commands: ['split'],
  sequences: [
    'a split payment whose deposit ends before its own first step does not stop its account',
    'a split payment goes on when its deposit is approved on a frozen clock',
    'a split payment whose deposit is called back before its answer goes on'
  ],
  faults: new Array<string>(),
  hostile: ['deep']
}
