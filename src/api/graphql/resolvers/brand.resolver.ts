import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Brand, BrandPlacementInput } from '../types/brand.js';
import type { CurrentBrand } from '../../../domain/media/branding/brand.service.js';

@Resolver(() => Brand)
export class BrandResolver {
  @Access('owner')
  @Query(() => Brand, { nullable: true, description: 'Null without a logo. Send one with PUT to /branding/logo.' })
  async brand(@Ctx() context: GraphqlContext): Promise<Brand | null> {
    const brand = await context.services.brands.current(accountIdIn(context));
    return brand && brandView(brand);
  }

  @Access('active', 'manage')
  @Mutation(() => Brand, {
    description: 'Sets the position of the logo in videos whose processing is approved from now on.',
  })
  async setBrand(
    @Ctx() context: GraphqlContext,
    @Arg('placement', () => BrandPlacementInput) placement: BrandPlacementInput,
  ): Promise<Brand> {
    return brandView(await context.services.brands.place(accountIdIn(context), placement));
  }

  @Access('active', 'manage')
  @Mutation(() => Boolean, { description: 'Videos already processed with the logo keep it.' })
  async removeBrand(@Ctx() context: GraphqlContext): Promise<boolean> {
    await context.services.brands.remove(accountIdIn(context));
    return true;
  }
}

function brandView({ sha256, ...brand }: CurrentBrand): Brand {
  return { ...brand, logoUrl: `/branding/logo/${sha256}.png` };
}
