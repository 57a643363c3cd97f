import Head from 'next/head';

/** The title is the heading of the page as well as what the browser's tab shows. */
export function Page({ title, children }) {
  return (
    <>
      <Head>
        <title>{`${title} · Example videos`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
      </Head>
      <header>
        <a href="/">Example videos</a>
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}

export function Failure({ title, text }) {
  return (
    <Page title={title}>
      <p>{text}</p>
      <p>
        <a href="/">All videos</a>
      </p>
    </Page>
  );
}
